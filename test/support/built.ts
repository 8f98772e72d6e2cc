/** A module of the built program, whose threads are built too; `path` is that of its source in src/. */
export function importBuilt<Module>(path: string): Promise<Module> {
  return import(new URL(`../../dist/${path.replace(/\.ts$/, '.js')}`, import.meta.url).href)
}
