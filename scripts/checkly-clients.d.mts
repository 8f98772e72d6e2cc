export function checklyClients(): { readonly clients: string; readonly node: string; readonly clientsMissing: string | null }
