/** Computes a value when it is first needed. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | null = null
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
