#!/usr/bin/env node
// Looking up a name takes one of these threads for as long as it lasts. Their number is fixed once the first ES module has been read.
process.env.UV_THREADPOOL_SIZE ??= '64'
import('./main.ts')
