import { createContext } from 'react'

/** True while a page is rendered that is sent without application scripts. */
export const StaticPage = createContext(false)
