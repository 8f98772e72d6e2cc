/** The ETag of a version of a managed resource. */
export const versionTag = (version: number) => `"v${version}"`
