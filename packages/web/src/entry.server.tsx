import { renderToReadableStream } from 'react-dom/server'
import type { EntryContext } from 'react-router'
import { ServerRouter } from 'react-router'
import { listStaticPaths } from '@tern/contract/pages'
import { StaticPage } from './app/static-page.ts'

/** Renders one page at build time. The SPA fallback always keeps its scripts, whatever address it is rendered for. */
export default async function render(request: Request, status: number, headers: Headers, context: EntryContext) {
  const isFallback = context.isSpaMode && request.headers.get('X-React-Router-SPA-Mode') === 'yes'
  const pathname = new URL(request.url).pathname.replace(/(.)\/$/, '$1')
  const isStatic = !isFallback && !import.meta.env.DEV && listStaticPaths().includes(pathname)
  const page = await renderToReadableStream(
    <StaticPage value={isStatic}>
      <ServerRouter context={context} url={request.url} />
    </StaticPage>,
  )
  // The router puts its hydration data behind Suspense, so only a completely rendered page can be hydrated.
  await page.allReady
  headers.set('Content-Type', 'text/html')
  return new Response(page, { status, headers })
}
