//! A client that signs by itself, so that a mistake of the library's signer does not hide one of the server.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::super::EmbeddedServer;
use crate::hex::hex_digits;

/// A request with its signature, each part of which can be changed.
#[derive(Clone)]
pub(super) struct SignedRequest {
    pub(super) id: String,
    pub(super) secret: String,
    /// The day that the scope contains; by default that of the date.
    pub(super) day: Option<String>,
    pub(super) service: String,
    pub(super) body: Vec<u8>,
    /// The signed headers.
    pub(super) headers: Vec<(String, String)>,
    /// Further headers, not signed.
    pub(super) unsigned: Vec<(String, String)>,
}

impl SignedRequest {
    /// A list of the tables.
    pub(super) fn new(server: &EmbeddedServer) -> Self {
        let headers = [
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("host", server.url().replace("http://", "")),
            ("x-amz-date", date_text(SystemTime::now())),
            ("x-amz-target", "DynamoDB_20120810.ListTables".to_owned()),
        ];
        SignedRequest {
            id: server.access_key_id().to_owned(),
            secret: server.secret_access_key().to_owned(),
            day: None,
            service: "dynamodb".to_owned(),
            body: b"{}".to_vec(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
            unsigned: Vec::new(),
        }
    }

    pub(super) fn operation(mut self, operation: &str, body: &str) -> Self {
        self.set_header("x-amz-target", &format!("DynamoDB_20120810.{operation}"));
        self.body = body.as_bytes().to_vec();
        self
    }

    pub(super) fn set_header(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self.headers.sort();
    }

    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        self.unsigned.push((name.to_owned(), value.to_owned()));
    }

    pub(super) fn authorization(&self) -> String {
        let header = |name: &str| {
            let found = self.headers.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let date = header("x-amz-date");
        let day = self
            .day
            .clone()
            .unwrap_or_else(|| date.chars().take(8).collect());
        let lines: String = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"))
            .collect();
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(";");
        let canonical = format!(
            "POST\n/\n\n{lines}\n{names}\n{}",
            hex_digits(&Sha256::digest(&self.body))
        );
        let scope = format!("{day}/eu-west-1/{}/aws4_request", self.service);
        let text = format!(
            "AWS4-HMAC-SHA256\n{date}\n{scope}\n{}",
            hex_digits(&Sha256::digest(canonical))
        );
        let mut key = format!("AWS4{}", self.secret).into_bytes();
        for part in [&day, "eu-west-1", &self.service, "aws4_request", &text] {
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
            mac.update(part.as_bytes());
            key = mac.finalize().into_bytes().to_vec();
        }
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={}",
            self.id,
            hex_digits(&key)
        )
    }

    /// The head of the request, without the header that tells where its body ends.
    pub(super) fn head(&self) -> String {
        let all = self.headers.iter().chain(&self.unsigned);
        let lines: String = all
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let authorization = match self
            .unsigned
            .iter()
            .any(|(name, _)| name == "authorization")
        {
            true => String::new(),
            false => format!("authorization: {}\r\n", self.authorization()),
        };
        format!("POST / HTTP/1.1\r\n{lines}{authorization}")
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let head = format!("{}content-length: {}\r\n\r\n", self.head(), self.body.len());
        [head.as_bytes(), &self.body].concat()
    }

    /// With the body in chunks.
    pub(super) fn to_chunks(&self, size: usize) -> Vec<u8> {
        let mut bytes = format!("{}transfer-encoding: chunked\r\n\r\n", self.head()).into_bytes();
        for chunk in self.body.chunks(size) {
            bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            bytes.extend(chunk);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    }
}

pub(super) fn date_text(time: SystemTime) -> String {
    crate::wire::signing::Date::new(time)
        .unwrap()
        .date_time()
        .to_owned()
}

pub(super) struct RawResponse {
    pub(super) status: u16,
    pub(super) headers: HashMap<String, String>,
    pub(super) body: String,
}

impl RawResponse {
    pub(super) fn error_type(&self) -> String {
        let body: Json = serde_json::from_str(&self.body).unwrap_or_default();
        let name = body["__type"].as_str().unwrap_or_default();
        name.rsplit('#').next().unwrap_or_default().to_owned()
    }
}

/// One connection.
pub(super) struct RawClient {
    pub(super) stream: TcpStream,
    /// Bytes that were read after the last response.
    rest: Vec<u8>,
}

impl RawClient {
    pub(super) fn connect(server: &EmbeddedServer) -> Self {
        Self::try_connect(server).expect("a connection")
    }

    pub(super) fn try_connect(server: &EmbeddedServer) -> Option<Self> {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).ok()?;
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Some(RawClient {
            stream,
            rest: Vec::new(),
        })
    }

    pub(super) fn call(&mut self, request: &SignedRequest) -> RawResponse {
        self.send(&request.to_bytes())
            .read_response()
            .expect("a response")
    }

    /// Sends bytes. A server that has closed the connection shows when the response is read.
    pub(super) fn send(&mut self, bytes: &[u8]) -> &mut Self {
        drop(self.stream.write_all(bytes));
        self
    }

    /// The next response; none if the server closes the connection.
    pub(super) fn read_response(&mut self) -> Option<RawResponse> {
        let end = loop {
            match self.rest.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => self.read_more()?,
            }
        };
        let head = String::from_utf8(self.rest.drain(..end).collect()).unwrap();
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers: HashMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length: usize = headers
            .get("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.rest.len() < length {
            self.read_more()?;
        }
        let body = String::from_utf8(self.rest.drain(..length).collect()).unwrap();
        Some(RawResponse {
            status,
            headers,
            body,
        })
    }

    fn read_more(&mut self) -> Option<()> {
        let mut buffer = [0; 8192];
        match self.stream.read(&mut buffer) {
            Ok(0) => None,
            Ok(count) => {
                self.rest.extend(&buffer[..count]);
                Some(())
            }
            Err(error) => {
                let is_closed = matches!(
                    error.kind(),
                    ErrorKind::ConnectionReset
                        | ErrorKind::BrokenPipe
                        | ErrorKind::ConnectionAborted
                );
                assert!(is_closed, "the server neither answers nor closes: {error}");
                None
            }
        }
    }
}
