import type { ReactNode } from 'react'

/** Layout of the pages without the frame: sign-in and enrolment. */
export const SignInLayout = ({ children }: { children: ReactNode }) => (
  <main className="mx-auto mt-[18vh] grid w-[min(360px,100%-32px)] gap-4 [&_.brand-mark]:size-10 [&_.button]:min-h-11 [&_h1]:font-display [&_h1]:text-[1.75rem]/8.5">
    {children}
  </main>
)
