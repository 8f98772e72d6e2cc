import { buildIfChanged } from './build.mjs'
import { install } from './install.mjs'

const parent = process.ppid
install({ all: false })
buildIfChanged()
if (process.ppid === parent) await import('./start-demo.mjs')
