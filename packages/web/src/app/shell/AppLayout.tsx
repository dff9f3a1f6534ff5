import '../../css/app.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigate } from 'react-router'
import displayFont from '../../../fonts/display.woff2?url'
import textFont from '../../../fonts/text.woff2?url'
import { useLiveData } from '../session/live.ts'
import { paths } from '../paths.ts'
import { hasCachedUser, resumeSession, signOut, useSession } from '../session/session.ts'
import { AppShell } from './AppShell.tsx'
import { isPage } from './navigation/navigation.ts'
import { preloadFonts } from './preload-fonts.ts'
import { ToastProvider } from '../../ui/feedback/Toast.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const RestrictionNotes = lazyComponent(() => import('./RestrictionNotes.tsx'), 'RestrictionNotes')

export { appMeta as meta } from '../page-title.ts'
export const links = () => preloadFonts(textFont, displayFont)

// A boundary further up would rebuild the whole document with its scripts, which the page's security policy forbids.
export { ErrorPage as ErrorBoundary } from './ErrorPage.tsx'

const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 15_000 } } })

/**
 * Frame of every page for members. Sends visitors without a session to /login, and back here afterwards. For an address
 * without a page, members get the frame, and no session is required.
 */
export default function AppLayout() {
  const [queryClient] = useState(newQueryClient)
  const session = useSession()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const returnQuery = `?from=${encodeURIComponent(pathname + search)}`
  const isLoggingOut = useRef(false)
  const isUnknownPath = !isPage(pathname)

  // Before the first paint, the cached user decides whether the frame is shown.
  useLayoutEffect(() => {
    if (!isUnknownPath || hasCachedUser()) void resumeSession()
  }, [isUnknownPath])
  useLiveData(queryClient)

  const isSignedOut = session.status === 'out'
  const notice = isSignedOut ? session.notice : undefined
  useEffect(() => {
    if (!isSignedOut) return
    queryClient.clear()
    if (isUnknownPath && !isLoggingOut.current) return
    const hasSessionEnded = isLoggingOut.current || notice
    void navigate(paths.login + (hasSessionEnded ? '' : returnQuery), {
      replace: true,
      state: notice ? { notice } : null,
    })
  }, [isSignedOut, isUnknownPath, returnQuery, notice, navigate, queryClient])

  const handleSignOut = () => {
    isLoggingOut.current = true
    void signOut()
  }

  if (isUnknownPath && session.status !== 'in') return <Outlet />
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <AppShell user={session.status === 'in' ? session.user : undefined} onLogout={handleSignOut}>
          {session.status === 'in' &&
            (session.user.frozen_at || session.user.has_open_loss || session.user.call_until) && (
              <Suspense>
                <RestrictionNotes user={session.user} />
              </Suspense>
            )}
          {!isSignedOut && <Outlet />}
        </AppShell>
      </ToastProvider>
    </QueryClientProvider>
  )
}
