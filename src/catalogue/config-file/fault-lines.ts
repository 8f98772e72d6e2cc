import type { Composed } from './compose.ts'
import { type Fault, type Finding, type Path, pathText } from './faults.ts'
import type { SourcePath } from './inherit.ts'
import type { YamlSource } from './yaml-source.ts'

type FaultLines = {
  /** Locates a finding in the composed file where it was written. */
  located(finding: Finding): Fault
  /** Locates a finding in one of the files. */
  inFile(file: string | null, finding: Finding): Fault
}

export function faultLines(main: YamlSource, { expanded, included }: Pick<Composed, 'expanded' | 'included'>): FaultLines {
  const inFile = (file: string | null, { path, at, text }: Finding): Fault => {
    const source = file === null ? main : included.sources.get(file)
    const line = source?.lineOf({ path, at }) ?? 1
    return file === null ? { line, text } : { file, line, text }
  }
  const placeOf = (path: Path): SourcePath => {
    const [accounts, account, checks, index, field] = path
    const check = accounts === 'accounts' && checks === 'checks' ? expanded?.[Number(account)]?.[Number(index)] : undefined
    if (!check) return { file: null, path }
    const inherited = check.from.get(String(field))
    return inherited
      ? { file: inherited.file, path: [...inherited.path, ...path.slice(5)] }
      : { file: check.place.file, path: [...check.place.path, ...path.slice(4)] }
  }
  /** Findings name checks by their index among all checks of the account. */
  const renamed = (text: string, file: string | null): string =>
    text.replace(checkPath, (whole, account: string, index: string, field: string | undefined) => {
      const place = placeOf(['accounts', Number(account), 'checks', Number(index), ...(field === undefined ? [] : [field])])
      return expanded?.[Number(account)]?.[Number(index)]
        ? `${place.file === file ? '' : `${place.file ?? 'the config file'}: `}${pathText(place.path)}`
        : whole
    })
  return {
    inFile,
    located(finding) {
      if (expanded === null) return inFile(null, finding)
      const { file, path } = placeOf(finding.path)
      return inFile(file, { ...finding, path, text: renamed(finding.text, file) })
    },
  }
}

const checkPath = /accounts\[(\d+)\]\.checks\[(\d+)\](?:\.([A-Za-z]+))?/g
