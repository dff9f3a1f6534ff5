import { shell } from '#messages/shell.ts'
import { NavigationList } from './NavigationList.tsx'

/** The side navigation of wide screens: five pages, and the account at its foot. */
export function SideNavigation({ pathname }: { pathname: string }) {
  return (
    <>
      <nav aria-label={shell.mainMenu}>
        <NavigationList menu="main" pathname={pathname} />
      </nav>
      <nav className="mt-auto border-t pt-4" aria-label={shell.accountMenu}>
        <NavigationList menu="account" pathname={pathname} />
      </nav>
    </>
  )
}
