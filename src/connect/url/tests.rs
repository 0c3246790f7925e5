//! Tests of right URLs, near misses and wrong ones.

use super::*;
use crate::error::ErrorKind;

fn endpoint(url: &str, region: Option<&str>) -> ConnectTarget {
    ConnectTarget::Endpoint {
        url: url.into(),
        region: region.map(Into::into),
    }
}

fn aws(region: Option<&str>, profile: Option<&str>, endpoint: Option<&str>) -> ConnectTarget {
    let own = |text: Option<&str>| text.map(Into::into);
    ConnectTarget::Aws {
        region: own(region),
        profile: own(profile),
        endpoint: own(endpoint),
    }
}

#[test]
fn right_urls() {
    for (url, target) in [
        ("embedded:memory", ConnectTarget::Memory),
        (" embedded:memory\n", ConnectTarget::Memory),
        ("embedded:shop.db", ConnectTarget::File("shop.db".into())),
        (
            "embedded:./data/shop.db",
            ConnectTarget::File("./data/shop.db".into()),
        ),
        (
            "embedded:/var/lib/shop",
            ConnectTarget::File("/var/lib/shop".into()),
        ),
        (
            "embedded:C:\\shop.db",
            ConnectTarget::File("C:\\shop.db".into()),
        ),
        (
            "http://localhost:8000",
            endpoint("http://localhost:8000", None),
        ),
        (
            "http://localhost:8000/",
            endpoint("http://localhost:8000", None),
        ),
        ("http://[::1]:8000", endpoint("http://[::1]:8000", None)),
        ("http://[::1]", endpoint("http://[::1]", None)),
        (
            "https://db.example.com",
            endpoint("https://db.example.com", None),
        ),
        (
            "http://h:1?region=eu-west-1",
            endpoint("http://h:1", Some("eu-west-1")),
        ),
        ("aws", aws(None, None, None)),
        ("aws://", aws(None, None, None)),
        ("aws://eu-central-1", aws(Some("eu-central-1"), None, None)),
        ("aws://?profile=dev", aws(None, Some("dev"), None)),
        (
            "aws://us-gov-west-1?profile=a-b&endpoint=https://vpce-1.example.com",
            aws(
                Some("us-gov-west-1"),
                Some("a-b"),
                Some("https://vpce-1.example.com"),
            ),
        ),
    ] {
        assert_eq!(parse(url).unwrap(), target, "{url}");
    }
}

#[test]
fn near_misses() {
    for (url, meant) in [
        ("embeded:memory", "embedded:memory"),
        ("embedded://memory", "embedded:memory"),
        ("embedded:///srv/x", "embedded:/srv/x"),
        ("embedded::memory:", "embedded:memory"),
        ("embedded:Memory", "embedded:memory"),
        ("embedded:", "embedded:memory"),
        ("embedded", "embedded:memory"),
        ("memory", "embedded:memory"),
        (":memory:", "embedded:memory"),
        ("Embedded:memory", "embedded:memory"),
        ("sqlite:shop.db", "embedded:shop.db"),
        ("shop.db", "embedded:shop.db"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:4566", "http://127.0.0.1:4566"),
        ("localhost", "http://localhost:8000"),
        ("http//localhost:8000", "http://localhost:8000"),
        ("http:/localhost:8000", "http://localhost:8000"),
        ("http:localhost:8000", "http://localhost:8000"),
        ("HTTP://localhost:8000", "http://localhost:8000"),
        ("htps://db.example.com", "https://db.example.com"),
        ("http://localhost:8000/shell", "http://localhost:8000"),
        ("eu-west-1", "aws://eu-west-1"),
        ("aws:eu-west-1", "aws://eu-west-1"),
        ("AWS", "aws"),
        ("aws://EU-WEST-1", "aws://eu-west-1"),
        ("aws://eu-west-1?profil=x", "profile=x"),
        ("http://h:1?regoin=eu-west-1", "region=eu-west-1"),
    ] {
        let error = parse(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        assert!(
            text.contains(&format!("Did you mean `{meant}`?")),
            "{url}: {text}"
        );
        assert!(text.contains("aws://REGION"), "{text}");
    }
}

#[test]
fn wrong_urls() {
    for url in [
        "",
        "mongodb://localhost",
        "http://",
        "http://:8000",
        "http://localhost:0",
        "http://localhost:65536",
        "http://localhost:http",
        "http://local host:8000",
        "http://localhost:8000?region=",
        "http://h:1?region=a-b-1&region=a-b-1",
        "aws://eu-west-1/x",
        "aws://eu-west-1?endpoint=example.com",
        "aws://eu-west-1?endpoint=http://",
        "embedded:shop.db?mode=ro",
    ] {
        let error = parse(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{url}");
        assert!(error.to_string().contains("embedded:PATH"), "{error}");
    }
}

#[test]
fn a_message_says_what_is_wrong_what_was_meant_and_what_is_right() {
    let text = parse("aws:eu-west-1").unwrap_err().to_string();
    let forms = "In general: write one of embedded:memory, embedded:PATH, http://HOST:PORT, https://HOST, aws, \
                 aws://REGION, aws://REGION?profile=NAME";
    assert_eq!(
        text,
        format!(
            "`aws:eu-west-1` is no connection URL: it has none of the known forms. Did you mean \
             `aws://eu-west-1`? {forms}"
        )
    );
    let text = parse("http://localhost:0").unwrap_err().to_string();
    assert_eq!(
        text,
        format!(
            "`http://localhost:0` is no connection URL: the port is no number from 1 to 65535. {forms}"
        )
    );
}

#[test]
fn passwords_are_not_shown() {
    for url in [
        "http://user:secret@host:8000",
        "htp://user:secret@host",
        "secret@host:80",
    ] {
        let error = parse(url).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
}

#[test]
fn only_this_machine_is_local() {
    for url in [
        "embedded:memory",
        "embedded:shop.db",
        "http://localhost",
        "http://LOCALHOST:8000/",
        "http://127.0.0.1:8000",
        "http://127.9.9.9",
        "https://[::1]:8000",
        "http://[::1]",
    ] {
        assert!(parse(url).unwrap().is_local(), "{url}");
    }
    for url in [
        "aws",
        "aws://eu-west-1",
        "aws://eu-west-1?endpoint=http://localhost:8000",
        "https://dynamodb.eu-west-1.amazonaws.com",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com:8000",
        "http://10.0.0.1:8000",
        "http://dynamodb:8000",
    ] {
        assert!(!parse(url).unwrap().is_local(), "{url}");
    }
}
