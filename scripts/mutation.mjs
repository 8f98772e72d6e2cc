import { install, root } from './install.mjs'

install({ all: true })
const { runnerImport } = await import('vite')
const { module } = await runnerImport(`${root}test/mutation/main.ts`)
process.exitCode = await module.main(root, process.argv.slice(2))
