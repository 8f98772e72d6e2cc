import { build } from './build.mjs'
import { install, run } from './install.mjs'

install({ all: true })
build()
run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'])
run('npx', ['--no-install', 'tsc', '-p', 'src/web'])
run('npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.'])
run('npx', ['--no-install', 'vitest', 'run', ...process.argv.slice(2)])
if (process.argv.length === 2)
  console.log("Left out: the tests on a current ClickHouse, which npm run test:clickhouse runs. Debian's was used where it is installed.")
