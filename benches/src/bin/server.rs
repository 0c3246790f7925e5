//! Prints its address and answers until it is killed.

use std::net::TcpListener;

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("http://{}", listener.local_addr().expect("an address"));
    dynamo_entity_benches::server::serve(listener, None);
}
