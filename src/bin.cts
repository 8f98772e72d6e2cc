#!/usr/bin/env node
// A DNS lookup blocks a libuv thread. The pool size is fixed once the first ES module is loaded.
process.env.UV_THREADPOOL_SIZE ??= '64'
import('./main.ts')
