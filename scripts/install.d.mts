export type InstallQuestion = {
  readonly all: boolean
  readonly lock: string
  readonly installed: string
  readonly hasTests: boolean
}

export function kindToInstall(question: InstallQuestion): 'all' | 'production' | null
