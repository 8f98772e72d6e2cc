import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative } from 'node:path/posix'
import { root } from './install.mjs'

const source = `${root}src/`

/** Packages that are not bundled: native packages, rarely loaded ones, and parts of Fastify used only for schemas and tests. */
const installed = [
  '@clickhouse/client',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@photostructure/sqlite',
  'light-my-request',
  'nodemailer',
  'undici',
]

/**
 * Modules of threads and judges, which are loaded by URL, are bundled separately at the same paths as in src/. They share no module
 * instances with the server, and few files load faster than many.
 */
const server = bundleOf(['main.ts'], 'chunks')
const threads = bundleOf(modulesByAddress(), 'threads')

const program = {
  input: `${source}bin.cts`,
  platform: 'node',
  external: () => true,
  output: { file: `${root}dist/bin.cjs`, format: 'cjs', paths: (id) => (id.endsWith('/main.ts') ? './main.js' : id) },
}

export default [server, threads, program]

function bundleOf(paths, chunks) {
  return {
    input: Object.fromEntries(paths.map((path) => [path.replace(/\.ts$/, ''), source + path])),
    platform: 'node',
    external: (id) => isBuiltin(id) || installed.includes(id),
    plugins: [addressesOfModules(), parsedData()],
    output: {
      dir: `${root}dist`,
      entryFileNames: '[name].js',
      chunkFileNames: `${chunks}/[name]-[hash].js`,
      banner: ({ moduleIds }) => packageFolders(moduleIds).map(licenceOf).join('\n'),
    },
  }
}

function modulesByAddress() {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /(?<!-in)-thread\.ts$/.test(path) ||
      (path.endsWith('.ts') && /\bmodule: import\.meta\.url\b/.test(readFileSync(source + path, 'utf8'))),
  )
}

/** In a chunk, `import.meta.url` keeps pointing to the path that the module has in src/. */
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

/** Embeds large tables as JSON text: at every start, parsing JSON takes a fraction of the time of compiling a literal. */
function parsedData() {
  return {
    name: 'parsed-data',
    transform(code, id) {
      if (!id.endsWith('.json') || code.length < 10_000) return null
      const text = JSON.stringify(JSON.stringify(JSON.parse(code)))
      return { code: `module.exports = JSON.parse(${text})`, moduleType: 'js' }
    },
  }
}

/** The folders of the packages that these modules belong to. */
function packageFolders(moduleIds) {
  const folders = moduleIds.map((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
}

function licenceOf(folder) {
  const { name, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : license
  return `/*! ${name}\n\n${text.replaceAll('*/', '* /')}\n*/`
}
