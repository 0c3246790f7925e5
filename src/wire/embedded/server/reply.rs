//! Responses as DynamoDB writes them.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use crate::wire::embedded::answer::EngineAnswer;
use crate::wire::signing::SignatureFault;

const JSON: HeaderValue = HeaderValue::from_static("application/x-amz-json-1.0");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CHECKSUM: HeaderName = HeaderName::from_static("x-amz-crc32");

/// Writes the response to a request. Some clients check the checksum of its body.
pub(super) fn write_response((status, body): EngineAnswer, id: &str) -> Response<String> {
    // The engine writes JSON, which is UTF-8, so nothing is replaced here.
    let body = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let checksum = crc32(body.as_bytes());
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CHECKSUM, HeaderValue::from(checksum));
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}

/// A rejection before the engine, with an error type of the protocol.
pub(super) fn rejection(status: u16, code: &str, message: &str) -> EngineAnswer {
    let code = format!("com.amazon.coral.service#{code}");
    let body = serde_json::json!({ "__type": code, "message": message });
    (status, body.to_string().into_bytes())
}

pub(super) fn signature_rejection(fault: &SignatureFault) -> EngineAnswer {
    rejection(400, fault.code, &fault.message)
}

/// The response to a connection for which no place is left, as bytes, because nothing is read from such a connection.
pub(super) fn busy_bytes() -> Vec<u8> {
    let (status, body) = rejection(
        503,
        "ServiceUnavailableException",
        "the server has too many connections",
    );
    let head = format!(
        "HTTP/1.1 {status} Service Unavailable\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
}

const CRC_TABLE: [u32; 256] = crc_table();

/// The remainders of all bytes, by the reversed polynomial of CRC-32.
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        let mut remainder = at as u32;
        let mut bit = 0;
        while bit < 8 {
            let is_odd = remainder & 1 == 1;
            remainder >>= 1;
            if is_odd {
                remainder ^= 0xedb8_8320;
            }
            bit += 1;
        }
        table[at] = remainder;
        at += 1;
    }
    table
}

fn crc32(bytes: &[u8]) -> u32 {
    let next = |sum: u32, byte: &u8| CRC_TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8);
    !bytes.iter().fold(!0, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        // the response of DynamoDB to a write
        assert_eq!(crc32(b"{}"), 2_745_614_147);
    }
}
