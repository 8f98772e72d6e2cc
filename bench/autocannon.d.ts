declare module 'autocannon' {
  type Request = { readonly path?: string; readonly setupRequest?: (request: { path: string }) => { path: string } }
  type Options = {
    readonly url: string
    readonly connections: number
    readonly duration?: number
    readonly amount?: number
    readonly requests?: readonly Request[]
  }
  type Result = {
    readonly requests: { readonly average: number; readonly total: number }
    readonly latency: { readonly p50: number; readonly p99: number }
    readonly non2xx: number
    readonly errors: number
    readonly '4xx': number
  }
  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default function autocannon(options: Options): Promise<Result>
}
