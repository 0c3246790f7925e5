//! Prints its address, and answers requests until it is killed.
//!
//! With `--tls` it also prints a certificate, which is made anew each time. With `--gated` it obeys lines
//! from its standard input: `close` makes answers wait, `open` releases them, and `waiting` asks how many
//! there are.

use std::io::{BufRead, Write};
use std::net::TcpListener;
use std::sync::Arc;

use dynamo_entity_benches::gate::Gate;
use dynamo_entity_benches::identity::ServerIdentity;
use dynamo_entity_benches::server::Service;

fn main() {
    let mut service = Service::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--tls" => service.identity = Some(Arc::default()),
            "--gated" => service.gate = Some(Arc::default()),
            other => panic!("--tls or --gated, not `{other}`"),
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    match service.identity.as_deref().map(ServerIdentity::certificate) {
        Some(certificate) => println!("https://{address}\n{}", certificate.trim()),
        None => println!("http://{address}"),
    }
    if let Some(gate) = service.gate.clone() {
        std::thread::spawn(move || obey(&gate));
    }
    service.serve(listener);
}

fn obey(gate: &Gate) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.as_str() {
            "close" => gate.close(),
            "open" => gate.open(),
            _ => println!("{}", gate.waiting()),
        }
        std::io::stdout().flush().expect("its output");
    }
}
