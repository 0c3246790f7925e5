//! A server with prepared answers: one thread per connection, HTTP/1.1, and TLS if it is asked for.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::{ServerConnection, StreamOwned};

use crate::event;
use crate::flat::visits;
use crate::gate::Gate;
use crate::growth::{self, GROWTH};
use crate::identity::ServerIdentity;
use crate::order::{Filed, large, orders, some_of, stored};
use crate::work::{FILED, LONG, ONE, REFUSED, SHORT, TEN};

/// The names of the answers with flat items.
const FLAT_ITEM: &str = "flat item";
const FLAT_PAGE: &str = "flat page";
const FLAT_BATCH: &str = "flat batch";

/// The name of the answer that holds the rows of a projection.
const TOTALS: &str = "totals";

/// A request as it was received: its operation and its body.
pub type Seen = (String, Vec<u8>);

/// A request as JSON, without its token, so that it can be compared with others.
pub fn comparable((operation, body): Seen) -> serde_json::Value {
    let mut body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    if let Some(body) = body.as_object_mut() {
        body.remove("ClientRequestToken");
    }
    serde_json::json!([operation, body])
}

/// What the server does besides answering.
#[derive(Default, Clone)]
pub struct Service {
    /// Keeps the requests, if somebody wants to see them.
    pub seen: Option<Arc<Mutex<Vec<Seen>>>>,
    /// Encrypts the connections.
    pub identity: Option<Arc<ServerIdentity>>,
    /// Holds the answers back while it is closed.
    pub gate: Option<Arc<Gate>>,
}

impl Service {
    /// Answers requests until the process ends.
    pub fn serve(self, listener: TcpListener) {
        let answers = Arc::new(Answers::new());
        for connection in listener.incoming().flatten() {
            let (answers, service) = (answers.clone(), self.clone());
            std::thread::spawn(move || service.accept(connection, &answers));
        }
    }

    fn accept(&self, connection: TcpStream, answers: &Answers) {
        connection.set_nodelay(true).expect("a socket");
        match &self.identity {
            Some(identity) => {
                let session = ServerConnection::new(identity.config()).expect("a session");
                self.converse(StreamOwned::new(session, connection), answers);
            }
            None => self.converse(connection, answers),
        }
    }

    fn converse(&self, connection: impl Read + Write, answers: &Answers) {
        let mut connection = BufReader::new(connection);
        while let Some((operation, body)) = read(&mut connection) {
            let answer = answers.of(&operation, &body);
            if let Some(seen) = &self.seen {
                let mut seen = seen.lock().expect("no panic");
                seen.push((operation, body.clone()));
            }
            if let Some(gate) = &self.gate {
                gate.pass();
            }
            let status = match contains(&body, &prefixed(REFUSED)) {
                true => "400 Bad Request",
                false => "200 OK",
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nserver: Server\r\ncontent-type: application/x-amz-json-1.0\r\n\
                 content-length: {}\r\nconnection: keep-alive\r\n\
                 x-amzn-requestid: 5PQ0RS8T0UVWXYZ1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ0\r\n\
                 x-amz-crc32: 2745614147\r\n\r\n",
                answer.len()
            );
            let whole = [head.as_bytes(), answer.as_bytes()].concat();
            let writer = connection.get_mut();
            if writer.write_all(&whole).is_err() || writer.flush().is_err() {
                return;
            }
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Seen> {
    let (mut operation, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length"),
            // The value has the form `DynamoDB_20120810.GetItem`.
            "x-amz-target" => operation = value.rsplit('.').next().unwrap_or_default().into(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((operation, body))
}

/// The prepared answers.
struct Answers {
    by_name: HashMap<&'static str, Arc<str>>,
    /// Answers with events by the body of their request. Each is built when it is first asked for.
    events: Mutex<HashMap<Vec<u8>, Arc<str>>>,
}

impl Answers {
    fn new() -> Self {
        let item = stored(&orders(1)[0]);
        let one = format!("{{\"Item\":{item}}}");
        let flat: Vec<String> = visits(100).iter().map(stored).collect();
        let flat_list = format!("[{}]", flat.join(","));
        let list = |count| {
            let items: Vec<String> = orders(count).iter().map(stored).collect();
            format!("[{}]", items.join(","))
        };
        let page_of = |count, items: String| {
            format!("{{\"Count\":{count},\"Items\":{items},\"ScannedCount\":{count}}}")
        };
        let page = |count| page_of(count, list(count));
        let filed: Vec<Filed> = orders(1000).into_iter().map(Filed::from).collect();
        let filed = |of: &dyn Fn(&Filed) -> String| {
            let items: Vec<String> = filed.iter().map(of).collect();
            page_of(1000, format!("[{}]", items.join(",")))
        };
        let totals = ["pk", "sk", "number", "total_cents"];
        let by_name = HashMap::from([
            ("GetItem", one.clone()),
            ("UpdateItem", format!("{{\"Attributes\":{item}}}")),
            (ONE, page(1)),
            (TEN, page(10)),
            (SHORT, page(100)),
            (LONG, page(1000)),
            (FILED, filed(&stored)),
            (FLAT_ITEM, format!("{{\"Item\":{}}}", flat[0])),
            (FLAT_PAGE, page_of(100, flat_list.clone())),
            (
                FLAT_BATCH,
                format!("{{\"Responses\":{{\"visits\":{flat_list}}},\"UnprocessedKeys\":{{}}}}"),
            ),
            (
                TOTALS,
                filed(&|row| some_of(row, |name| totals.contains(&name))),
            ),
            (
                "BatchGetItem",
                format!(
                    "{{\"Responses\":{{\"orders\":{}}},\"UnprocessedKeys\":{{}}}}",
                    list(100)
                ),
            ),
            (
                "TransactGetItems",
                format!("{{\"Responses\":[{one},{one},{one}]}}"),
            ),
            ("BatchWriteItem", "{\"UnprocessedItems\":{}}".into()),
            (
                REFUSED,
                format!(
                    "{{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\",\
                     \"message\":\"The conditional request failed\",\"Item\":{}}}",
                    stored(&large())
                ),
            ),
        ]);
        let by_name = by_name.into_iter();
        Answers {
            by_name: by_name
                .map(|(name, answer): (_, String)| (name, answer.into()))
                .collect(),
            events: Mutex::default(),
        }
    }

    fn of(&self, operation: &str, body: &[u8]) -> Arc<str> {
        if contains(body, &prefixed(GROWTH)) {
            return growth::answer(operation, body).into();
        }
        if contains(body, b"\"events\"") {
            let mut events = self.events.lock().expect("no panic");
            let answer = events.entry(body.to_owned());
            return answer.or_insert_with(|| event::answer(body).into()).clone();
        }
        let name = match operation {
            _ if contains(body, &prefixed(REFUSED)) => REFUSED,
            "GetItem" if contains(body, b"\"visits\"") => FLAT_ITEM,
            "BatchGetItem" if contains(body, b"\"visits\"") => FLAT_BATCH,
            "Query" if contains(body, b"\"rows-100-visits\"") => FLAT_PAGE,
            "Query" if contains(body, FILED.as_bytes()) => {
                match contains(body, b"ProjectionExpression") {
                    true => TOTALS,
                    false => FILED,
                }
            }
            // The name of the table tells how many rows are wanted.
            "Query" | "Scan" => [ONE, TEN, SHORT, LONG]
                .into_iter()
                .find(|table| contains(body, format!("\"{table}-orders\"").as_bytes()))
                .expect("a table of so many rows"),
            other => other,
        };
        self.by_name
            .get(name)
            .cloned()
            .unwrap_or_else(|| "{}".into())
    }
}

/// How the name of a table with this prefix begins in a body.
fn prefixed(prefix: &str) -> Vec<u8> {
    format!("\"{prefix}-").into_bytes()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
