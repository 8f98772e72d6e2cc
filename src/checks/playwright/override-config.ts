type Over = {
  /** The suite's folder: paths in its configuration are relative to it. */
  readonly directory: string
  readonly outputDir: string
  readonly reportFile: string
  readonly proxyUrl: string
  readonly globalTimeoutMs: number
  readonly launchOptions: Options
}

type Options = Readonly<Record<string, unknown>>
type Use = Options & { readonly launchOptions?: Options & { readonly args?: readonly string[] } }
type Config = Options & {
  readonly use?: Use
  readonly projects?: readonly Config[]
  readonly webServer?: Options | readonly Options[]
  readonly globalTimeout?: number
  readonly snapshotPathTemplate?: string
}

/**
 * The suite's configuration with its paths made absolute and with Tidemark's report, proxy and browser in it.
 * Its source is written into the configuration of the run, so it may use nothing from outside itself.
 */
export function layOver(exported: Options, over: Over, resolve: (...paths: string[]) => string): Options {
  const first = exported.default ?? exported
  const own = ((first as Options).default ?? first) as Config

  const absolute = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(absolute)
    return typeof value === 'string' ? resolve(over.directory, value) : value
  }
  const paths = (config: Config): Options => {
    const names = ['testDir', 'snapshotDir', 'globalSetup', 'globalTeardown', 'tsconfig'].filter((name) => config[name] !== undefined)
    const template = config.snapshotPathTemplate
    return {
      ...Object.fromEntries(names.map((name) => [name, absolute(config[name])])),
      ...(template !== undefined && { snapshotPathTemplate: template.startsWith('{') ? template : absolute(template) }),
    }
  }
  const use = (given: Use = {}): Use => {
    const { executablePath, args, ...common } = over.launchOptions
    const browser = given.browserName ?? given.defaultBrowserType ?? 'chromium'
    const chosen =
      browser !== 'chromium' || given.launchOptions?.executablePath !== undefined || (given.channel ?? 'chromium') !== 'chromium'
    const program = chosen || executablePath === undefined ? {} : { executablePath }
    const allArgs = browser === 'chromium' ? { args: [...(given.launchOptions?.args ?? []), ...(args as readonly string[])] } : {}
    return {
      ...given,
      proxy: { server: over.proxyUrl },
      launchOptions: { ...common, ...given.launchOptions, ...program, ...allArgs, proxy: common.proxy },
    }
  }
  const server = (given: Options) => ({ ...given, cwd: absolute(given.cwd ?? '.') })
  const project = (given: Config): Options => ({
    ...given,
    ...paths(given),
    outputDir: over.outputDir,
    use: use({ ...own.use, ...given.use }),
  })

  return {
    ...own,
    testDir: over.directory,
    ...paths(own),
    outputDir: over.outputDir,
    reporter: [['json', { outputFile: over.reportFile }]],
    globalTimeout: Math.min(own.globalTimeout || over.globalTimeoutMs, over.globalTimeoutMs),
    use: use(own.use),
    ...(own.projects && { projects: own.projects.map(project) }),
    ...(own.webServer && { webServer: Array.isArray(own.webServer) ? own.webServer.map(server) : server(own.webServer as Options) }),
  }
}
