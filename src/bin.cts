#!/usr/bin/env node
const v8 = require('node:v8') as typeof import('node:v8')

// A DNS lookup blocks a libuv thread. The pool size is fixed once the first ES module is loaded.
process.env.UV_THREADPOOL_SIZE ??= '64'
// An agent runs beside other programs, and makes little garbage: its young generation stays small.
if (process.argv[2] === 'agent') v8.setFlagsFromString('--semi-space-growth-factor=1')
import('./main.ts')
