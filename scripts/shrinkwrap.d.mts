/** The part of a lockfile that the published package needs. */
export function shrinkwrapOf<Lockfile>(lockfile: Lockfile): Lockfile
