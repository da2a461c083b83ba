//! A client of tonic retries the codes that gRPC calls transient. Each attempt has a copy of the client, which shares
//! its connection.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rejitter::{presets, retry};
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let (_, server) = tonic_health::server::health_reporter();
    let server = InterceptedService::new(server, |request: Request<()>| {
        let busy = CALLS.fetch_add(1, Ordering::Relaxed) < 2;
        if busy {
            Err(Status::unavailable("busy"))
        } else {
            Ok(request)
        }
    });
    let client = HealthClient::new(server);
    let check = async |service: &str| {
        let call = retry(presets::GRPC.with_base(Duration::from_millis(1)), || {
            let (mut client, service) = (client.clone(), service.to_owned());
            async move { client.check(HealthCheckRequest { service }).await }
        });
        call.when(|status| matches!(status.code(), Code::Unavailable | Code::ResourceExhausted))
            .await
    };
    check("").await?;
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);

    assert_eq!(check("unknown").await.unwrap_err().code(), Code::NotFound);
    assert_eq!(CALLS.load(Ordering::Relaxed), 4);
    Ok(())
}
