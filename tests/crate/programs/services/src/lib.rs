//! The server of the programs that send requests.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

/// Answers requests with these heads, one each, and then closes. Returns the URL.
pub fn serve<const N: usize>(heads: [&'static str; N]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for head in heads {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            let response =
                format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(response.as_bytes()).unwrap();
        }
    });
    url
}
