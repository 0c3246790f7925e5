//! The host of DynamoDB Streams beside that of DynamoDB.
//!
//! On AWS, the operations on streams have a host of their own, which the client of DynamoDB does not know. Other servers
//! have both on one host.

/// The ends of the hosts of AWS, each with whether it is one for IPv6.
const PARTITIONS: [(&str, bool); 14] = [
    ("amazonaws.com", false),
    ("amazonaws.com.cn", false),
    ("amazonaws.eu", false),
    ("c2s.ic.gov", false),
    ("sc2s.sgov.gov", false),
    ("csp.hci.ic.gov", false),
    ("cloud.adc-e.uk", false),
    ("api.aws", true),
    ("api.amazonwebservices.com.cn", true),
    ("api.amazonwebservices.eu", true),
    ("api.aws.ic.gov", true),
    ("api.aws.scloud", true),
    ("api.aws.hci.ic.gov", true),
    ("api.cloud-aws.adc-e.uk", true),
];

/// The URI of DynamoDB Streams for a URI of DynamoDB on AWS. `None` if both have the same host, or if the host is
/// unknown, such as that of a proxy.
pub(super) fn stream_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let authority = authority.to_ascii_lowercase();
    let host = stream_host(authority.strip_suffix(":443").unwrap_or(&authority))?;
    Some(format!("{scheme}://{host}{path}"))
}

fn stream_host(host: &str) -> Option<String> {
    // An endpoint of an account begins with its number: `111122223333.ddb.eu-west-1.amazonaws.com`. The streams have no
    // such endpoints.
    let (first, rest) = host.split_once('.')?;
    let is_account = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let (service, rest) = match is_account {
        true => rest.split_once('.')?,
        false => (first, rest),
    };
    let mode = match (is_account, service) {
        (false, "dynamodb") | (true, "ddb") => "",
        (false, "dynamodb-fips") | (true, "ddb-fips") => "-fips",
        _ => return None,
    };
    let (region, suffix) = rest.split_once('.')?;
    let (_, is_dual) = PARTITIONS.iter().find(|(end, _)| *end == suffix)?;
    let separator = if *is_dual { '-' } else { '.' };
    Some(format!(
        "streams{separator}dynamodb{mode}.{region}.{suffix}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hosts are those of the endpoint rules of AWS's own clients for streams.
    #[test]
    fn hosts_of_aws_have_a_host_for_streams() {
        for (host, streams) in [
            (
                "dynamodb.eu-west-1.amazonaws.com",
                "streams.dynamodb.eu-west-1.amazonaws.com",
            ),
            (
                "dynamodb.cn-north-1.amazonaws.com.cn",
                "streams.dynamodb.cn-north-1.amazonaws.com.cn",
            ),
            (
                "dynamodb.us-gov-west-1.amazonaws.com",
                "streams.dynamodb.us-gov-west-1.amazonaws.com",
            ),
            (
                "dynamodb-fips.us-east-1.amazonaws.com",
                "streams.dynamodb-fips.us-east-1.amazonaws.com",
            ),
            (
                "dynamodb.us-east-1.api.aws",
                "streams-dynamodb.us-east-1.api.aws",
            ),
            (
                "dynamodb-fips.us-east-1.api.aws",
                "streams-dynamodb-fips.us-east-1.api.aws",
            ),
            (
                "DynamoDB.US-East-1.amazonaws.com:443",
                "streams.dynamodb.us-east-1.amazonaws.com",
            ),
            (
                "111122223333.ddb.us-east-1.amazonaws.com",
                "streams.dynamodb.us-east-1.amazonaws.com",
            ),
            (
                "111122223333.ddb.us-east-1.api.aws",
                "streams-dynamodb.us-east-1.api.aws",
            ),
        ] {
            let (uri, wanted) = (format!("https://{host}/"), format!("https://{streams}/"));
            assert_eq!(stream_uri(&uri), Some(wanted));
        }
    }

    #[test]
    fn other_hosts_stay() {
        for uri in [
            "http://localhost:8000/",
            "http://embedded.invalid/",
            "https://dynamodb.internal.example.com/",
            "https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com/",
            "https://streams.dynamodb.us-east-1.amazonaws.com/",
            "https://dynamodb.us-east-1.amazonaws.com:8443/",
            "https://dynamodb",
            "dynamodb",
            "",
        ] {
            assert_eq!(stream_uri(uri), None, "{uri}");
        }
    }
}
