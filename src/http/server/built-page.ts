import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { escapeMarkup } from '../../text/escape-markup.ts'
import type { BasePath } from './request-head.ts'

/** The folder of the built web app: next to this one in the package, or below dist/ when run from source. Undefined if it is not built. */
export function builtRoot(): string | undefined {
  const roots = ['../../web/', '../../../dist/web/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return roots.find((path) => existsSync(`${path}assets`))
}

/** Reads a built HTML file and adds the base path: to its URLs, and as a meta element for its script. */
export function builtHtml(file: string, basePath: BasePath): string {
  const path = escapeMarkup(basePath)
  const meta = path === '' ? '' : `<meta name="tidemark-base-path" content="${path}" />`
  return readFileSync(file, 'utf8')
    .replaceAll(/(src|href)="\//g, `$1="${path}/`)
    .replace('<title>', `${meta}<title>`)
}
