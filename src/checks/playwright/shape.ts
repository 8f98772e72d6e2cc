import { type Static, Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { bundlePrefix, maxBundleLength } from '../probe/playwright/code-bundle.ts'
import { webVitals } from '../probe/playwright/web-vitals.ts'
import { Environment, pathsFault } from '../probe/settings.ts'

export const metrics = {
  responseTime: milliseconds('Response time for the full suite'),
  ...webVitals,
}

const ShortText = Type.String({ minLength: 1, maxLength: 200 })

/**
 * Stored and returned unchanged, since API clients compare them with the values that they sent. Runs ignore them and use the installed
 * versions.
 */
const SuiteFields = Type.Object(
  {
    browsers: Type.Optional(Type.Array(ShortText, { minItems: 1, maxItems: 20 })),
    cacheHash: Type.Optional(ShortText),
    playwrightVersion: Type.Optional(ShortText),
    engine: Type.Optional(ShortText),
    engineVersion: Type.Optional(ShortText),
  },
  { additionalProperties: false, description: 'sent by API clients; ignored' },
)

function pathInBundle(description: string, root?: string) {
  const faultOf = (path: string) => (path === root ? null : pathsFault([path]))
  return Type.Refine(
    Type.String({ minLength: 1, description }),
    (path) => faultOf(path) === null,
    (path) => faultOf(path) ?? '',
  )
}

const Settings = Type.Object({
  directory: Type.Optional(Type.String({ minLength: 1, description: 'a folder with a playwright.config, relative to the config file' })),
  bundle: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxBundleLength, description: 'the files of a suite as text, from a deployment' }),
  ),
  bundleFolder: Type.Optional(pathInBundle('the folder in the bundle to run the tests in', '.')),
  bundleConfig: Type.Optional(pathInBundle('the path of its playwright.config in that folder')),
  project: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'text of 1 to 1000 characters' })),
  grep: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'a regular expression of at most 1000 characters' })),
  environment: Type.Optional(Environment),
  suiteFields: Type.Optional(SuiteFields),
})

/** Checks the settings against each other; returns the fault as a sentence. */
function settingsFault({ directory, bundle, bundleFolder, bundleConfig }: Static<typeof Settings>): string | null {
  if (directory !== undefined && bundle !== undefined) return 'directory and bundle are mutually exclusive'
  if (bundle !== undefined) return bundleFault(bundle)
  if (bundleFolder !== undefined || bundleConfig !== undefined) return 'bundleFolder and bundleConfig require bundle'
  return directory === undefined ? 'directory is missing: the folder of the suite' : null
}

function bundleFault(bundle: string): string | null {
  return bundle.startsWith(bundlePrefix) ? null : 'bundle must be the key of an uploaded bundle'
}

export const PlaywrightSettings: typeof Settings = Type.Refine(
  Settings,
  (settings) => settingsFault(settings) === null,
  (settings) => settingsFault(settings) ?? '',
)
