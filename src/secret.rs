//! What nobody else may read: credentials in addresses, and values whose names say that they are secret.

mod addresses;
mod commands;
mod entries;
mod names;

use std::borrow::Cow;

pub(crate) use addresses::address_without;
use addresses::in_addresses;
use names::{Named, is_secret};

/// A text with its secrets as `*`, byte for byte, so that offsets into it stay true: the user and the password of
/// `https://user:secret@host`, the token of conda's `…/t/token/…`, the values of `?token=…`, `PASSWORD=…`, `--api-key …`,
/// `Authorization: Bearer …`, what commands and entries take (`docker login -p …`, `{name: API_KEY, value: …}`), tokens that
/// are known by how they begin.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let mut secrets = in_addresses(text);
    secrets.extend(Named::new(text));
    secrets.extend(commands::in_commands(text));
    secrets.extend(entries::in_entries(text));
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    secrets.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in secrets {
        let from = from.max(done);
        if from < to {
            out.push_str(&text[done..from]);
            out.extend(std::iter::repeat_n('*', to - from));
            done = to;
        }
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Values that are none: switches, rights.
const PLAIN: &[&str] = &["false", "inherit", "no", "none", "null", "read", "true", "write", "yes"];

/// What is no secret though its name says so: a switch, a right, `--secret id=x,src=y` of a build.
fn is_plain(value: &str) -> bool {
    value.is_empty() || PLAIN.contains(&value.to_ascii_lowercase().as_str()) || value.starts_with("id=") || is_reference(value)
}

/// `$NAME`, `${NAME}`, `${{ … }}`, `{{ … }}`, `$(…)`: what stands there is elsewhere.
fn is_reference(value: &str) -> bool {
    let name = value.strip_prefix('$').map(|v| v.strip_prefix('{').and_then(|v| v.strip_suffix('}')).unwrap_or(v));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()))
        || ["${{", "{{", "$("].iter().any(|mark| value.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_addresses_are_masked_in_place() {
        for (text, shown) in [
            ("-i https://user:s3cret@pypi.example/simple", "-i https://***********@pypi.example/simple"),
            ("https://ghp_abc@github.com/x/y@v1", "https://*******@github.com/x/y@v1"),
            ("https://a:p@ss@h/", "https://******@h/"),
            ("https://a:p/ss@h/x", "https://******@h/x"),
            ("https://a:中@h", "https://*****@h"),
            ("https://h:8080/x@y", "https://h:8080/x@y"),
            ("git+https://github.com/x/y@v1", "git+https://github.com/x/y@v1"),
            ("https://h/s?token=abc&x=1&sig=de#f", "https://h/s?token=***&x=1&sig=**#f"),
            ("https://h/ user@host", "https://h/ user@host"),
            (
                "-i https://dl.cloudsmith.example/aB3dE6gH/o/r/python/simple",
                "-i https://dl.cloudsmith.example/********/o/r/python/simple",
            ),
            ("https://dl.cloudsmith.example/public/o/r/python/", "https://dl.cloudsmith.example/public/o/r/python/"),
            ("https://dl.cloudsmith.example/basic/o/r/", "https://dl.cloudsmith.example/basic/o/r/"),
            ("https://dl.cloudsmith.example/$CS_TOKEN/o/r/", "https://dl.cloudsmith.example/$CS_TOKEN/o/r/"),
            ("https://packagecloud.example/priv/aB3dE6gH/o/r/", "https://packagecloud.example/priv/********/o/r/"),
            ("https://packagecloud.example/owner-name/r/", "https://packagecloud.example/owner-name/r/"),
            ("https://pypi.fury.example/aB3dE6gH/me/", "https://pypi.fury.example/********/me/"),
            ("https://pypi.fury.example/some-nightlies/", "https://pypi.fury.example/some-nightlies/"),
            ("https://h.example/aB3dE6gH/o/r/", "https://h.example/aB3dE6gH/o/r/"),
            ("a://b:c@d://e:f@g", "a://***@d://***@g"),
            ("://", "://"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(text).len(), text.len());
        }
    }

    #[test]
    fn values_with_secret_names_are_masked_in_place() {
        for (text, shown) in [
            ("ENV PASSWORD=hunter2 A=1", "ENV PASSWORD=******* A=1"),
            ("ENV DB_PASS hunter2", "ENV DB_PASS *******"),
            ("x --token abc -r y", "x --token *** -r y"),
            ("x --api-key=abc", "x --api-key=***"),
            ("docker run -e HF_TOKEN=hf_x i", "docker run -e HF_TOKEN=**** i"),
            ("export API_KEY=\"a b\" C", "export API_KEY=\"***\" C"),
            ("-H 'Authorization: Bearer abc.d' https://h", "-H 'Authorization: ************' https://h"),
            ("dbPassword: 'x y' # c", "dbPassword: '***' # c"),
            ("{\"auth\": \"x\", \"image\": \"y\"}", "{\"auth\": \"*\", \"image\": \"y\"}"),
            ("AWSSecretKey = k", "AWSSecretKey = *"),
            ("ORACLE_PWD=x PWD=/a", "ORACLE_PWD=* PWD=/a"),
            ("private_key: 中", "private_key: ***"),
            ("h.example/x?token=abc&x=1#y a", "h.example/x?token=***&x=1#y a"),
            ("TOKEN2=a\nB=c", "TOKEN2=*\nB=c"),
            ("TOKEN=${T:-abc}", "TOKEN=*********"),
            ("TOKEN=\"abc", "TOKEN=\"***"),
            ("PASSWORD=https://u:p@h", "PASSWORD=*************"),
            ("[\"serve\", \"--hf-token\", \"hf_x\", \"--device\"]", "[\"serve\", \"--hf-token\", \"****\", \"--device\"]"),
            ("['--api-key','a b']", "['--api-key','***']"),
            ("['--token', '--device']", "['--token', '--device']"),
            ("docker run -e 'MY_SECRET=x y' i", "docker run -e 'MY_SECRET=***' i"),
            ("docker run -e \"MY_SECRET=x 'y'\" i", "docker run -e \"MY_SECRET=*****\" i"),
            ("-e 'TOKEN=x", "-e 'TOKEN=*"),
            ("docker login -u a -p s3cret h", "docker login -u a -p ****** h"),
            ("docker login -p=x -u a", "docker login -p=* -u a"),
            ("docker login -u a -p $PW h\nmkdir -p x", "docker login -u a -p $PW h\nmkdir -p x"),
            ("serve --openai-key=abc --gh-pat abc", "serve --openai-key=*** --gh-pat ***"),
            ("OPENAI_KEY=abc DB_PWD=x", "OPENAI_KEY=*** DB_PWD=*"),
            ("GH_TOKEN=$(echo s3cret) x", "GH_TOKEN=$(***********) x"),
            ("x hf_abcdefgH1 ghp_12345678,", "x ************ ************,"),
            ("- nvapi-abcdefg1\n- AKIA1234567890AB", "- **************\n- ****************"),
            (
                "clone glpat-ABCDEFGH xoxb-12345678 sk-proj-abcdefgh12345678",
                "clone ************** ************* ************************",
            ),
            ("conda install -c https://conda.anaconda.org/t/S3c/x a", "conda install -c https://conda.anaconda.org/t/***/x a"),
            ("[conda.example/t/ab-c/x, b]", "[conda.example/t/****/x, b]"),
            ("- https://h.example/t/tk-1/get/x", "- https://h.example/t/****/get/x"),
            ("curl -u me:S3c https://x", "curl -u ****** https://x"),
            ("curl --user \"me:S3c r\" https://x", "curl --user \"********\" https://x"),
            ("sshpass -p S3c scp a b; sshpass -pS3c ssh -p 22 h", "sshpass -p *** scp a b; sshpass -p*** ssh -p 22 h"),
            ("twine upload -u __token__ -p S3c d/*", "twine upload -u __token__ -p *** d/*"),
            ("wandb login --relogin S3c && x", "wandb login --relogin *** && x"),
            ("/opt/bin/wandb login S3c", "/opt/bin/wandb login ***"),
            ("aws configure set aws_secret_access_key S3c", "aws configure set aws_secret_access_key ***"),
            ("poetry config pypi-token.a S3c", "poetry config pypi-token.a ***"),
            ("poetry config http-basic.a me S3c", "poetry config http-basic.a me ***"),
            ("machine h login me password S3c", "machine h login me password ***"),
            ("login me\n  password S3c\n", "login me\n  password ***\n"),
            ("echo S3c | docker login -u me --password-stdin", "echo *** | docker login -u me --password-stdin"),
            ("docker login --password-stdin <<< \"S3c\"", "docker login --password-stdin <<< \"***\""),
            ("docker login -u me \\\n  -p S3c", "docker login -u me \\\n  -p ***"),
            ("[\"docker\", \"login\", \"-p\", \"S3c\"]", "[\"docker\", \"login\", \"-p\", \"***\"]"),
            ("mysql -pS3c -u me db", "mysql -p*** -u me db"),
            ("env: [{name: WANDB_API_KEY, value: \"S3c\"}]", "env: [{name: WANDB_API_KEY, value: \"***\"}]"),
            (
                "env: [{value: S3c, name: HF_TOKEN}, {name: A, value: b}]",
                "env: [{value: ***, name: HF_TOKEN}, {name: A, value: b}]",
            ),
            (
                "- name: HF_TOKEN\n  value: S3c # d\n- name: A\n  value: b",
                "- name: HF_TOKEN\n  value: *** # d\n- name: A\n  value: b",
            ),
            ("{\"name\":\"HF_TOKEN\",\"value\":\"S3c\"}", "{\"name\":\"HF_TOKEN\",\"value\":\"***\"}"),
            ("PGPASSWORD=S3c psql; export SSHPASS=S3c", "PGPASSWORD=*** psql; export SSHPASS=***"),
            ("-e MYSQLPASSWORD=S3c -e DBPASSWORD=S3c -e DBPASS=S3c", "-e MYSQLPASSWORD=*** -e DBPASSWORD=*** -e DBPASS=***"),
            ("HFTOKEN=S3c AUTHTOKEN=S3c SECRETKEY=S3c", "HFTOKEN=*** AUTHTOKEN=*** SECRETKEY=***"),
            ("pgpassword: S3c\ndbpassword = S3c", "pgpassword: ***\ndbpassword = ***"),
            ("SLACK_WEBHOOK=https://h/a WEBHOOK_URL=https://h/a", "SLACK_WEBHOOK=*********** WEBHOOK_URL=***********"),
            ("curl https://hooks.slack.com/services/T0/B0/x -d a", "curl https://hooks.slack.com/services/******* -d a"),
            ("ENV CONNECTION_STRING=a;b CONN_STR=c", "ENV CONNECTION_STRING=*** CONN_STR=*"),
            ("x='AccountName=a;AccountKey=S3c==;E=x'", "x='AccountName=a;AccountKey=*********'"),
            ("JWT=S3c COOKIE=S3c BEARER=S3c MYSQL_ROOT_PW=S3c", "JWT=*** COOKIE=*** BEARER=*** MYSQL_ROOT_PW=***"),
            ("curl -H 'Cookie: S3c' x", "curl -H 'Cookie: ***' x"),
            ("tailscale up --authkey S3c --ssh", "tailscale up --authkey *** --ssh"),
            ("echo S3c | sudo -S apt-get update", "echo *** | sudo -S apt-get update"),
            ("echo S3c | sudo -u me -kS x", "echo *** | sudo -u me -kS x"),
            ("sudo -S <<< S3c x; sudo -S <<<S3c y", "sudo -S <<< *** x; sudo -S <<<*** y"),
            ("docker login -u a -pS3c h", "docker login -u a -p*** h"),
            (
                "vault login S3c; vault login -method=userpass username=me",
                "vault login ***; vault login -method=userpass username=me",
            ),
            ("unzip -P S3c a.zip; 7z x -pS3c a.7z", "unzip -P *** a.zip; 7z x -p*** a.7z"),
            ("kaggle config set -n key -v S3c", "kaggle config set -n key -v ***"),
            (
                "kubectl create secret generic a --from-literal=k=S3c --from-literal k=S3c",
                "kubectl create secret generic a --from-literal=k=*** --from-literal k=***",
            ),
            ("mc alias set m https://h AK S3c --api S3v4", "mc alias set m https://h AK *** --api S3v4"),
            ("read -r TOKEN <<< S3c; echo S3c | read TOKEN", "read -r TOKEN <<< ***; echo *** | read TOKEN"),
            // What is no secret, or not here.
            ("PASSTHROUGH=a COMPASS=a KEYBOARD=a BYPASS=a LOWPASS=a", "PASSTHROUGH=a COMPASS=a KEYBOARD=a BYPASS=a LOWPASS=a"),
            ("TOKENIZER=a TOKENIZERS_PARALLELISM=false HOTKEY=a", "TOKENIZER=a TOKENIZERS_PARALLELISM=false HOTKEY=a"),
            ("echo 'me ALL=(ALL) NOPASSWD:ALL' > x", "echo 'me ALL=(ALL) NOPASSWD:ALL' > x"),
            ("JWT_ALGORITHM=HS256 COOKIE_DOMAIN=h --cookie-jar a", "JWT_ALGORITHM=HS256 COOKIE_DOMAIN=h --cookie-jar a"),
            ("connection: a, string: b, cookie: c, PGPASSFILE=/a", "connection: a, string: b, cookie: c, PGPASSFILE=/a"),
            ("echo a | sudo tee -S b; sudo apt-get install a", "echo a | sudo tee -S b; sudo apt-get install a"),
            (
                "vault login -path=a; kaggle config set -n username -v me",
                "vault login -path=a; kaggle config set -n username -v me",
            ),
            ("kubectl create configmap a --from-literal=k=v", "kubectl create configmap a --from-literal=k=v"),
            ("kaggle datasets download -v a/b; mc alias list m", "kaggle datasets download -v a/b; mc alias list m"),
            ("read -r NAME <<< x; unzip -q a.zip; 7z x a.7z", "read -r NAME <<< x; unzip -q a.zip; 7z x a.7z"),
            ("https://discuss.example/t/a-title/12", "https://discuss.example/t/a-title/12"),
            ("curl -o a https://x; mkdir -p b && cp -u c d", "curl -o a https://x; mkdir -p b && cp -u c d"),
            ("wandb login; wandb login $KEY", "wandb login; wandb login $KEY"),
            ("echo $PW | docker login --password-stdin", "echo $PW | docker login --password-stdin"),
            ("echo hello | tee x; git config credential.helper store", "echo hello | tee x; git config credential.helper store"),
            (
                "aws configure set region eu && conda config --add channels x",
                "aws configure set region eu && conda config --add channels x",
            ),
            ("mysql -p db; useradd -m me", "mysql -p db; useradd -m me"),
            ("- name: HF_TOKEN\n  valueFrom: {x: y}", "- name: HF_TOKEN\n  valueFrom: {x: y}"),
            ("- name: TOKEN\n- name: A\n  value: b", "- name: TOKEN\n- name: A\n  value: b"),
            ("name: trainer\nvalue: 3", "name: trainer\nvalue: 3"),
            ("hostname: TOKEN\nvalue: 3", "hostname: TOKEN\nvalue: 3"),
            ("torch==2.1.0 keyring monkey=1 tokenizers==0.15", "torch==2.1.0 keyring monkey=1 tokenizers==0.15"),
            ("--gpus all --device=cuda image: x", "--gpus all --device=cuda image: x"),
            ("hf_transfer hf_hub_download1 sk-learn-contrib", "hf_transfer hf_hub_download1 sk-learn-contrib"),
            ("CACHE_KEY=a --sort-key b --key-file=c --cache-key=d", "CACHE_KEY=a --sort-key b --key-file=c --cache-key=d"),
            ("TOKEN=$(cat /run/x) y", "TOKEN=$(cat /run/x) y"),
            ("key: value", "key: value"),
            ("[\"--token\"]", "[\"--token\"]"),
            ("author: me, tokenizer=x, --max-tokens 5", "author: me, tokenizer=x, --max-tokens 5"),
            ("TOKEN=$HF_TOKEN TOKEN=${{ secrets.X }}", "TOKEN=$HF_TOKEN TOKEN=${{ secrets.X }}"),
            ("id-token: write", "id-token: write"),
            ("TOKEN_FILE=/run/x --password-stdin host", "TOKEN_FILE=/run/x --password-stdin host"),
            ("--mount=type=secret,id=hf --secret id=a,src=b", "--mount=type=secret,id=hf --secret id=a,src=b"),
            ("the token that you need", "the token that you need"),
            ("cache_key=torch KEY=a", "cache_key=torch KEY=a"),
            ("TOKEN=\nx", "TOKEN=\nx"),
            ("TOKEN=", "TOKEN="),
            ("--token \\", "--token \\"),
            ("token", "token"),
        ] {
            assert_eq!(masked(text), shown);
            assert_eq!(masked(text).len(), text.len());
        }
    }

    #[test]
    fn an_address_is_shown_without_what_is_secret() {
        assert_eq!(address_without("https://me:secret@host.example/simple"), "https://host.example/simple");
        for bad in [
            "//u:SECRET@h.example/x",
            "https:/u:SECRET@h.example/x",
            "u:SECRET@h.example/x",
            "https://SECRET@h.example/x",
            "https://h.example/x?t=SECRET",
            "https://h.example/x#SECRET",
            "https://u:p/SECRET@h.example",
        ] {
            assert!(!address_without(bad).contains("SECRET"), "{bad}: {}", address_without(bad));
        }
    }

    #[test]
    fn hostile_text_stays_cheap() {
        for text in [
            "://".repeat(300_000),
            "://a:b".repeat(200_000),
            "://a:b/?".repeat(200_000),
            "token:".repeat(200_000),
            "TOKEN \"".repeat(200_000),
            "token".repeat(200_000),
            "--token --token ".repeat(60_000),
            "TOKEN=${{".repeat(100_000),
            "token ".repeat(200_000),
            "TOKEN=id=".repeat(100_000),
            "'TOKEN=".repeat(100_000),
            "\"--token\",\"".repeat(100_000),
            "login -p ".repeat(100_000),
            "TOKEN=$(echo ".repeat(100_000),
            "/t/".repeat(300_000),
            "conda/t/".repeat(200_000),
            "'a".repeat(300_000),
            "curl -u ".repeat(100_000),
            "echo a |".repeat(100_000),
            "name: TOKEN value".repeat(60_000),
            "wandb login ".repeat(100_000),
            "vault login -".repeat(100_000),
            "mc alias set ".repeat(100_000),
            "mc alias set -".repeat(100_000),
            "docker login -p".repeat(60_000),
            "kaggle key -v ".repeat(100_000),
            "secret --from-literal ".repeat(60_000),
            "sudo -S <<<".repeat(100_000),
            "read TOKEN | ".repeat(100_000),
            "hooks.slack.com/services/://".repeat(50_000),
        ] {
            let started = std::time::Instant::now();
            assert_eq!(masked(&text).len(), text.len());
            // What grows with the square takes many minutes; a busy machine does not.
            assert!(started.elapsed().as_secs() < 60);
        }
    }
}
