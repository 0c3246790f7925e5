//! The connections of the server, and their end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::reply::busy_bytes;
use super::respond::Responder;
use super::socket::ImpatientSocket;

/// The pause after a connection could not be accepted, for example because the process has no file descriptor left.
const PAUSE: Duration = Duration::from_millis(50);
/// The number of clients that are told at the same time that no place is left, and the time for each.
const DECLINED: usize = 16;
const TELL_TIME: Duration = Duration::from_secs(1);
/// The size of the headers of a request, with its body as far as it came with them.
const HEAD_BYTES: usize = 64 * 1024;

/// Serves connections until the sender of `stop` is dropped, then waits until they have ended.
pub(super) async fn accept_connections(
    listener: TcpListener,
    responder: Arc<Responder>,
    mut stop: oneshot::Receiver<()>,
) {
    let limits = responder.limits;
    let room = Arc::new(Semaphore::new(limits.connections));
    let declined = Arc::new(Semaphore::new(DECLINED));
    let (close, closing) = watch::channel(());
    loop {
        let accepted = match select(pin!(listener.accept()), &mut stop).await {
            Either::Left((accepted, _)) => accepted,
            Either::Right(_) => break,
        };
        let Ok((socket, _)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        match room.clone().try_acquire_owned() {
            Ok(place) => {
                let connection = serve_connection(socket, responder.clone(), closing.clone());
                tokio::spawn(hold_place(connection, place));
            }
            // Beyond these, a connection is closed without a message.
            Err(_) => {
                if let Ok(place) = declined.clone().try_acquire_owned() {
                    let told = timeout(TELL_TIME, decline_connection(socket));
                    tokio::spawn(hold_place(async { drop(told.await) }, place));
                }
            }
        }
    }
    drop(listener);
    drop(close);
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    drop(timeout(limits.stop_time, room.acquire_many(all)).await);
}

async fn hold_place(connection: impl Future<Output = ()>, place: OwnedSemaphorePermit) {
    connection.await;
    drop(place);
}

async fn serve_connection(
    socket: TcpStream,
    responder: Arc<Responder>,
    mut closing: watch::Receiver<()>,
) {
    // Responses are small, and clients wait for each. A failure costs only time.
    drop(socket.set_nodelay(true));
    let header_time = responder.limits.header_time;
    let socket = ImpatientSocket::new(socket, responder.limits.write_time);
    let service = service_fn(move |request| responder.clone().respond(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = pin!(connection);
    // An error is that of one client, which has gone or does not speak HTTP.
    if let Either::Right(_) = select(connection.as_mut(), pin!(closing.changed())).await {
        connection.as_mut().graceful_shutdown();
        drop(connection.await);
    }
}

/// Tells a client that no place is left. If bytes that it sent were not read, closing the connection would destroy the
/// message before the client reads it.
async fn decline_connection(mut socket: TcpStream) -> io::Result<()> {
    socket.write_all(&busy_bytes()).await?;
    socket.shutdown().await?;
    let mut buffer = [0; 1024];
    while socket.read(&mut buffer).await? > 0 {}
    Ok(())
}
