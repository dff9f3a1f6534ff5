import './css/base.css'
import '#direction.css'
import type { ReactNode } from 'react'
import { useContext, useLayoutEffect } from 'react'
import { language } from '#language'
import { Links, Meta, Outlet, Scripts, ScrollRestoration } from 'react-router'
import { lastMap } from './app/last-map.ts'
import { prehydrationClicks } from './app/prehydration-clicks.ts'
import { trustedTypesPolicy } from './app/trusted-types.ts'
import { headerScript } from './features/marketing/frame/header-script.ts'
import { StaticPage } from './app/static-page.ts'
import { guardTranslation } from './ui/translation-guard.ts'
import { ErrorPage } from './app/shell/ErrorPage.tsx'
import { shell } from '#messages/shell.ts'

if (!import.meta.env.SSR) guardTranslation()

export const links = () => [{ rel: 'icon', href: '/logo.svg', type: 'image/svg+xml' }]

const headScript = (isStatic: boolean) =>
  isStatic ? headerScript() : `${trustedTypesPolicy()};${prehydrationClicks()};${lastMap()}`

export function Layout({ children }: { children: ReactNode }) {
  const isStatic = useContext(StaticPage)
  useLayoutEffect(() => window.releasePress?.(), [])
  return (
    <html lang={language.code} dir={language.direction}>
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fbfaf7" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0a141b" />
        <Meta />
        <Links />
        {/* Rendered at build time only, so that the client bundle need not contain the script. */}
        <script suppressHydrationWarning>{import.meta.env.SSR ? headScript(isStatic) : ''}</script>
      </head>
      <body>
        {children}
        {!isStatic && (
          <>
            <ScrollRestoration />
            <Scripts />
          </>
        )}
      </body>
    </html>
  )
}

export default function Root() {
  return <Outlet />
}

/** Shown while the first page of the app loads. */
export function HydrateFallback() {
  return (
    <p className="visually-hidden" role="status">
      {shell.loading}
    </p>
  )
}

export const ErrorBoundary = ErrorPage
