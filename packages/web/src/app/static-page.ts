import { createContext } from 'react'

/** True while rendering a page that is sent without application scripts. */
export const StaticPage = createContext(false)
