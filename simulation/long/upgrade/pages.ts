// Loads pages with everything that they name, as a browser does.

import { callHttps, type RunningProxy } from '../../../deploy/checks/proxies.ts'

export interface PageLoads {
  readonly files: number
  readonly faults: readonly string[]
}

const paths = ['/', '/login', '/prices'] as const
const assetAddress = /\/assets\/[\w.-]+\.(?:js|css|woff2|svg)/g

/** Loads pages and their assets through the proxy, where each request may reach another app. */
export async function loadPages({ url, ca }: RunningProxy): Promise<PageLoads> {
  const faults: string[] = []
  let files = 0
  for (const path of paths) {
    const page = await callHttps(url + path, { ca, headers: { accept: 'text/html' } })
    if (page.status !== 200) faults.push(`${path}: ${page.status}`)
    for (const [asset] of new Map([...page.text.matchAll(assetAddress)].map(([name]) => [name, name]))) {
      files += 1
      const { status } = await callHttps(url + asset, { ca })
      if (status !== 200) faults.push(`${asset} of ${path}: ${status}`)
    }
  }
  return { files, faults }
}
