import { shell } from '#messages/shell.ts'
import { NavigationList } from './NavigationList.tsx'

/** Side navigation of wide screens: the main pages, with the account at the foot. */
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
