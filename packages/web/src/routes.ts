import { index, layout, route, type RouteConfig } from '@react-router/dev/routes'
import { paths } from './paths.ts'

export default [
  index('features/marketing/Landing.tsx'),
  layout('ui/PlainLayout.tsx', [
    route(paths.login, 'features/identity/Login.tsx'),
    route(paths.signup, 'features/identity/Signup.tsx'),
    route(paths.gallery, 'features/gallery/Gallery.tsx'),
    route('*', 'ui/NotFound.tsx'),
  ]),
  layout('ui/AppLayout.tsx', []),
] satisfies RouteConfig
