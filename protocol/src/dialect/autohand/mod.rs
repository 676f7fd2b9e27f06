//! `autohand --mode rpc`: JSON lines, events with their fields in `data`.
