import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../../../app/paths.ts'

/** Fragments of the former single settings page, which old links and bookmarks still use. */
const newPaths: Readonly<Record<string, string>> = {
  '#limits': paths.limitSettings,
  '#devices': paths.deviceSettings,
  '#privacy': paths.privacySettings,
  '#who-looked': `${paths.privacySettings}#who-looked`,
}

/** Redirects an old settings address to its tab, by its fragment or as a return from a bank. */
export function useOldSettingsRedirect(): void {
  const { hash, search } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const isFromBank = new URLSearchParams(search).has('linkStatus')
    const target = isFromBank ? paths.connectionSettings + search : newPaths[hash]
    if (target !== undefined) void navigate(target, { replace: true })
  }, [hash, search, navigate])
}
