#!/usr/bin/env node
const v8 = require('node:v8') as typeof import('node:v8')

// A DNS lookup blocks a libuv thread. The pool size is fixed once the first ES module is loaded.
process.env.UV_THREADPOOL_SIZE ??= '64'
// An agent shares its machine with other programs, and makes little garbage: its young generations, also those of its threads, stay small.
if (process.argv[2] === 'agent') for (const flag of ['--semi-space-growth-factor=1', '--max-semi-space-size=2']) v8.setFlagsFromString(flag)
// Results on their way to the disk outlive a garbage collection. V8 would learn from that to allocate all of their kind in the old generation.
v8.setFlagsFromString('--no-allocation-site-pretenuring')
import('./main.ts')
