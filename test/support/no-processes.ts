import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** Enforces the rule that fast tests start no processes. */
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  Object.assign(childProcess, { [name]: refuse })
}
syncBuiltinESMExports()

function refuse(program: string): never {
  throw new Error(`A fast test may not start ${program}: make "// @slow" the first line of its file.`)
}
