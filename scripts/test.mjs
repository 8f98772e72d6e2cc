import { build } from './build.mjs'
import { install, run } from './install.mjs'

install({ all: true })
build()
run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'])
run('npx', ['--no-install', 'tsc', '-p', 'src/web'])
run('npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.'])
if (process.argv.length === 2)
  console.log("Tests on a current ClickHouse are left out: npm run test:clickhouse runs them. Debian's is used where it is installed.")
run('npx', ['--no-install', 'vitest', 'run', ...process.argv.slice(2)])
