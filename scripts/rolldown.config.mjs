import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path/posix'
import { root } from './install.mjs'

const source = `${root}src/`

/** The server, and what its threads and judges import by address, at the same paths as in src/. What they share is in chunks, as few files load faster. */
const server = {
  input: Object.fromEntries(['main.ts', ...modulesByAddress()].map((path) => [path.replace(/\.ts$/, ''), source + path])),
  platform: 'node',
  external: isInstalled,
  plugins: [addressesOfModules()],
  output: {
    dir: `${root}dist`,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    banner: ({ moduleIds }) => (moduleIds.some((id) => id.includes('/node_modules/typebox/')) ? licenceOf('typebox') : ''),
  },
}

const program = {
  input: `${source}bin.cts`,
  platform: 'node',
  external: () => true,
  output: { file: `${root}dist/bin.cjs`, format: 'cjs', paths: (id) => (id.endsWith('/main.ts') ? './main.js' : id) },
}

export default [server, program]

/** typebox has hundreds of files, which take longer to load than all of ours. */
function isInstalled(id) {
  return /^[^./]/.test(id) && !/^typebox(\/|$)/.test(id)
}

function modulesByAddress() {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /(?<!-in)-thread\.ts$/.test(path) ||
      (path.endsWith('.ts') && /\bmodule: import\.meta\.url\b/.test(readFileSync(source + path, 'utf8'))),
  )
}

/** In a chunk, `import.meta.url` stays the address that a module would have by its path in src/. */
function addressesOfModules() {
  return {
    name: 'addresses-of-modules',
    transform(code, id) {
      if (!id.startsWith(source)) return null
      const path = id.slice(source.length).replace(/\.ts$/, '.js')
      return code.replaceAll('import.meta.url', `addressOfModule(${JSON.stringify(path)})`)
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(
        /addressOfModule\("([^"]+)"\)/g,
        (_, path) => `new URL(${JSON.stringify(relative(dirname(fileName), path))}, import.meta.url).href`,
      )
    },
  }
}

function licenceOf(name) {
  return `/*! ${name}\n\n${readFileSync(`${root}node_modules/${name}/license`, 'utf8').trim()}\n*/`
}
