#[test]
fn todo_() {}
