type Overrides = {
  /** The suite's folder: paths in its configuration are relative to it. */
  readonly directory: string
  readonly outputDir: string
  readonly reportFile: string
  readonly proxyUrl: string
  readonly globalTimeoutMs: number
  readonly launchOptions: Options
  /** Playwright's `screenshot` option; null to keep that of the suite. */
  readonly screenshot: Options | null
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
 * The suite's configuration with absolute paths and with Tidemark's reporter, proxy and browser.
 * Its source is written into the configuration of the run, so it must be self-contained.
 */
export function overrideConfig(exported: Options, overrides: Overrides, resolve: (...paths: string[]) => string): Options {
  const first = exported.default ?? exported
  const suite = ((first as Options).default ?? first) as Config

  const absolute = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(absolute)
    return typeof value === 'string' ? resolve(overrides.directory, value) : value
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
    const { executablePath, args, ...common } = overrides.launchOptions
    const browser = given.browserName ?? given.defaultBrowserType ?? 'chromium'
    const chosen =
      browser !== 'chromium' || given.launchOptions?.executablePath !== undefined || (given.channel ?? 'chromium') !== 'chromium'
    const program = chosen || executablePath === undefined ? {} : { executablePath }
    const allArgs = browser === 'chromium' ? { args: [...(given.launchOptions?.args ?? []), ...(args as readonly string[])] } : {}
    return {
      ...given,
      proxy: { server: overrides.proxyUrl },
      ...(overrides.screenshot && { screenshot: overrides.screenshot }),
      launchOptions: { ...common, ...given.launchOptions, ...program, ...allArgs, proxy: common.proxy },
    }
  }
  const server = (given: Options) => ({ ...given, cwd: absolute(given.cwd ?? '.') })
  const project = (given: Config): Options => ({
    ...given,
    ...paths(given),
    outputDir: overrides.outputDir,
    use: use({ ...suite.use, ...given.use }),
  })

  return {
    ...suite,
    testDir: overrides.directory,
    ...paths(suite),
    outputDir: overrides.outputDir,
    reporter: [['json', { outputFile: overrides.reportFile }]],
    globalTimeout: Math.min(suite.globalTimeout || overrides.globalTimeoutMs, overrides.globalTimeoutMs),
    use: use(suite.use),
    ...(suite.projects && { projects: suite.projects.map(project) }),
    ...(suite.webServer && {
      webServer: Array.isArray(suite.webServer) ? suite.webServer.map(server) : server(suite.webServer as Options),
    }),
  }
}
