import { build } from './build.mjs'
import { install, run } from './install.mjs'
import { vitest } from './vitest.mjs'

const files = process.argv.slice(2)

install({ all: true })
process.exit(files.length > 0 ? await testSome() : await testAll())

async function testSome() {
  check()
  return (await vitest(files)).status
}

/** Fast tests need no build, and so run beside it. */
async function testAll() {
  console.log("Tests on a current ClickHouse are left out: npm run test:clickhouse runs them. Debian's is used where it is installed.")
  const fast = vitest(['--project', 'fast'])
  check()
  const runs = [await fast, await vitest(['--project', 'slow', '--project', 'alone'])]
  return Math.max(...runs.map(({ status }) => status))
}

/** One that fails ends this process, and the tests with it. */
function check() {
  build()
  run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'])
  run('npx', ['--no-install', 'tsc', '-p', 'src/web'])
  run('npx', ['--no-install', 'biome', 'check', '--error-on-warnings', '.'])
}
