import { existsSync, mkdirSync } from 'node:fs'
import { install, root, run } from './install.mjs'

const [major, ...more] = process.argv.slice(2)
if (!/^\d+$/.test(major ?? '')) {
  console.error('Say which Node: npm run test:node -- 24')
  process.exit(2)
}

install({ all: true })
const folder = `${root}node_modules/.cache/tidemark/node-${major}`
const node = `${folder}/node_modules/node/bin/node`
if (!existsSync(node)) {
  console.error(`Installing Node ${major} …`)
  mkdirSync(folder, { recursive: true })
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--loglevel=error', `node@${major}`], { quiet: true })
}
run(node, ['--version'])
run(node, [`${root}node_modules/vitest/vitest.mjs`, 'run', '--project', 'fast', ...more])
