//! Command lines as a shell cuts them.

use super::{Program, assignment};
use crate::outline::Text;
use crate::read::shell::{self, rendering};
use crate::source::{FileId, Span};

fn check(cases: &[(&str, &[&str])]) {
    for (text, want) in cases {
        let acts = shell::read(FileId(0), text).acts;
        let lines: Vec<_> = acts.iter().map(|act| rendering::act(act, text)).collect();
        assert_eq!(lines, *want, "{text}");
    }
}

#[test]
fn docker_run() {
    check(&[
        ("docker run -it --rm --gpus all a:1 b -c", &["DockerRun None image Some(\"a:1\") gpu --gpus all run b -c"]),
        ("docker run --gpus=all a", &["DockerRun None image Some(\"a\") gpu --gpus=all"]),
        ("docker run --gpus '\"device=0,1\"' a", &["DockerRun None image Some(\"a\") gpu --gpus '\"device=0,1\"'"]),
        ("docker container run --runtime nvidia a", &["DockerRun None image Some(\"a\") gpu --runtime nvidia"]),
        ("podman run --device nvidia.com/gpu=all a", &["DockerRun None image Some(\"a\") gpu --device nvidia.com/gpu=all"]),
        ("sudo nvidia-docker run a", &["DockerRun None image Some(\"a\") gpu nvidia-docker"]),
        (
            "docker -H x create --name n -e A=b -eC=$D --env=E -p 8080:80 -v a:b --shm-size 8g --entrypoint sh a -c d",
            &["DockerRun Some(\"n\") image Some(\"a\") gpu - run -c d entry sh -e A=b -e C=<D> -e E"],
        ),
        ("docker run --entrypoint '' a", &["DockerRun None image Some(\"a\") gpu - entry "]),
        ("docker run --runtime runc --device /dev/dri -itd a", &["DockerRun None image Some(\"a\") gpu --device /dev/dri"]),
        ("docker run $GPU_ARGS --rm a b", &["DockerRun None image Some(\"a\") gpu - run b open"]),
        ("docker run \"${ARGS[@]}\" a", &["DockerRun None image Some(\"a\") gpu - open"]),
        ("docker run --rm $IMAGE b --c", &["DockerRun None image Some(\"<IMAGE>\") gpu - run b --c"]),
        ("docker run --rm ${REPO}/x:$V", &["DockerRun None image Some(\"<REPO>/x:<V>\") gpu -"]),
        ("docker run --runtime=$R a", &["DockerRun None image Some(\"a\") gpu - open"]),
        ("docker run", &["DockerRun None image None gpu -"]),
        ("docker pull a; docker compose down; docker ps", &[]),
        ("docker compose up; docker-compose -f a.yml --env-file b run x", &["compose", "compose a.yml with b"]),
        ("docker exec b pip install c", &["(", "in container b", "install c", ")"]),
        ("docker compose exec -it -w /x b pip install c", &["(", "in service b", "install c", ")"]),
    ]);
}

#[test]
fn docker_build() {
    check(&[
        (
            "docker build -t a:1 -f d/Dockerfile --target run --build-arg X=1 --build-arg Y --no-cache .",
            &["DockerBuild Some(\"a:1\") . Some(\"d/Dockerfile\") Some(\"run\") [\"X=1\", \"Y\"]"],
        ),
        (
            "docker buildx build --platform linux/amd64 -ta --tag b --push ctx",
            &["DockerBuild Some(\"a\") ctx None None []", "DockerBuild Some(\"b\") ctx None None []"],
        ),
        ("docker build .", &["DockerBuild None . None None []"]),
        ("docker build $ARGS .", &["DockerBuild None . None None [] open"]),
        ("docker build - < Dockerfile", &["DockerBuild None - Some(\"Dockerfile\") None []"]),
        ("x | docker build -", &["DockerBuild None - Some(\"-\") None []"]),
    ]);
}

#[test]
fn system_packages() {
    check(&[
        ("apt-get update && apt-get install -y -t x --no-install-recommends a=1 b", &["apt a=1 b"]),
        ("apt purge -y 'nvidia-*'; apt list; apt-get -qq install", &["apt removes nvidia-*"]),
        ("yum -y install a; dnf remove b; microdnf install --enablerepo x c", &["dnf a", "dnf removes b", "dnf c"]),
        ("apk add --no-cache -t .deps a; apk del .deps", &["apk a", "apk removes .deps"]),
        (
            "zypper -n in a; pacman -Syu --noconfirm a b; pacman -Ss c; pacman -Rns d",
            &["zypper a", "pacman a b", "pacman removes d"],
        ),
        ("/usr/bin/apt-get install a", &["apt a"]),
    ]);
}

#[test]
fn compiling() {
    check(&[
        ("nvcc -o a a.cu; nvcc --version; nvcc", &["nvcc: -o a a.cu"]),
        ("cmake -B b; cmake --build b; cmake --version; cmake -E echo", &["cmake: -B b", "cmake: --build b"]),
        ("make -j8; make --version; ninja -C b", &["make: -j8", "ninja: -C b"]),
        (
            "python3.11 setup.py install; $PY -u setup.py build_ext --inplace",
            &["install  of 3.11", "setup.py: install", "setup.py: build_ext --inplace"],
        ),
        ("python setup.py --version; python train.py install; python -c 'setup.py install'", &[]),
    ]);
}

#[test]
fn containers_of_clusters() {
    check(&[
        (
            "srun -N 1 --gpus 8 --container-image=nvcr.io#nvidia/pytorch:23.10-py3 --container-mounts a:b python x.py",
            &["Slurm None image Some(\"nvcr.io/nvidia/pytorch:23.10-py3\") gpu - run python x.py open"],
        ),
        ("srun --container-image docker://a/b:1 x", &["Slurm None image Some(\"a/b:1\") gpu - run x open"]),
        (
            "srun --container-image=./x.sqsh y; srun --container-image=$I y",
            &["Slurm None image None gpu - run y open", "Slurm None image Some(\"<I>\") gpu - run y open"],
        ),
        (
            "shifter --image=docker:nersc/pytorch:1 python x",
            &["Slurm None image Some(\"nersc/pytorch:1\") gpu - run python x open"],
        ),
        (
            "apptainer -q exec --nv -B /a:/b docker://nvcr.io/nvidia/pytorch:23.10-py3 python x --nv",
            &["Apptainer None image Some(\"nvcr.io/nvidia/pytorch:23.10-py3\") gpu --nv run python x --nv"],
        ),
        (
            "singularity run x.sif y; apptainer build x.sif docker://a; apptainer exec",
            &["Apptainer None image None gpu - run y open"],
        ),
        (
            "#!/bin/sh\n#SBATCH -N 1\n#SBATCH --container-image=nvcr.io#a/b:1\n#SBATCH --image docker:c:2\n\napt install x\n#SBATCH --image=d",
            &["in nvcr.io/a/b:1", "Slurm None image Some(\"c:2\") gpu - open", "apt x"],
        ),
    ]);
}

#[test]
fn modules_and_files_from_elsewhere() {
    check(&[
        ("module load cuda/12.1 cudnn; module -q add $M", &["module cuda/12.1 cudnn", "module <M>"]),
        (
            "module swap cuda/11 cuda/12; module purge; module unload a",
            &["module unloads cuda/11", "module cuda/12", "module unloads ", "module unloads a"],
        ),
        ("module use /x; module avail; module; ml; ml avail", &[]),
        ("ml purge; ml gcc -python CUDA/12.1.1", &["module unloads ", "module unloads -python", "module gcc CUDA/12.1.1"]),
        ("wget https://x.example/a/r.txt?y -q -P d", &["edit d/r.txt", "download https://x.example/a/r.txt?y d/r.txt"]),
        ("curl -fsSLO https://x.example/r.txt", &["edit r.txt", "download https://x.example/r.txt r.txt"]),
        ("curl -fsSLo r.txt -H 'a: b' $U; wget -qO- u | sh", &["edit r.txt", "download <U> r.txt", "download u -", "run u"]),
        (
            "sudo sh cuda_12.4.1_550.54.15_linux.run --silent --toolkit; ./NVIDIA-Linux-x86_64-535.run -s",
            &["runfile cuda_12.4.1_550.54.15_linux.run --silent --toolkit", "runfile ./NVIDIA-Linux-x86_64-535.run -s"],
        ),
    ]);
}

#[test]
fn programs() {
    let text = |source: &str| {
        let mut excerpt = crate::read::excerpt::Excerpt::new(FileId(0));
        excerpt.push(source, 0);
        shell::word::text(&excerpt, 0..source.len(), shell::word::Words::Shell)
    };
    let cases = [
        ("pip", "pip", None),
        ("pip3.11", "pip", None),
        ("/opt/venv/bin/pip3", "pip", Some("/opt/venv")),
        (".venv/Scripts/python.exe", "python", Some(".venv")),
        ("\"$V\"/bin/python3", "python", Some("<V>")),
        ("$HOME/x/bin/pip", "pip", Some("<HOME>/x")),
        ("/opt/bin${X}/bin/python$V", "python", Some("/opt/bin<X>")),
        ("python${V}", "python", None),
        ("$PY", "python", None),
        ("./pip", "pip", None),
        ("apt-get", "apt-get", None),
    ];
    for (source, family, prefix) in cases {
        let word = text(source);
        let program = Program::of(&word);
        assert_eq!((program.family(), program.prefix().map(|p| rendering::text(&p)).as_deref()), (family, prefix), "{source}");
    }
    let at = Span::new(FileId(0), 0, 0);
    for (source, good) in [("A=b", true), ("A=", true), ("=b", false), ("1A=b", false), ("--a=b", false), ("a", false)] {
        assert_eq!(assignment(&Text::literal(source, at)).is_some(), good, "{source}");
    }
}
