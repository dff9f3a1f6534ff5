import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../../../app/paths.ts'

/** Where the parts are that links and bookmarks from when the settings were one page name. */
const moved: Readonly<Record<string, string>> = {
  '#limits': paths.limitSettings,
  '#devices': paths.deviceSettings,
  '#privacy': paths.privacySettings,
  '#who-looked': `${paths.privacySettings}#who-looked`,
}

/** Goes on to the tab that an address of the first one means: by the part it names, or as the return from a bank. */
export function useMovedPart(): void {
  const { hash, search } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const isFromBank = new URLSearchParams(search).has('linkStatus')
    const target = isFromBank ? paths.connectionSettings + search : moved[hash]
    if (target !== undefined) void navigate(target, { replace: true })
  }, [hash, search, navigate])
}
