import { index, layout, route, type RouteConfig } from '@react-router/dev/routes'
import { paths } from './paths.ts'

export default [
  index('features/marketing/Landing.tsx'),
  layout('ui/PlainLayout.tsx', [
    route(paths.login, 'features/identity/Login.tsx'),
    route(paths.signup, 'features/identity/Signup.tsx'),
    ...[paths.verifyEmail, paths.loginLink, paths.resetPassword, paths.notMe, paths.authCallback].map((path) =>
      route(path, 'features/identity/ReturnPages.tsx', { id: path }),
    ),
    route(paths.register, 'features/kyc/Register.tsx'),
    route(paths.gallery, 'features/gallery/Gallery.tsx'),
    route('*', 'ui/NotFound.tsx'),
  ]),
  layout('ui/AppLayout.tsx', [
    route(paths.dashboard, 'features/dashboard/Dashboard.tsx'),
    route(paths.transactions, 'features/transactions/Transactions.tsx'),
    route(paths.wallet, 'features/wallets/Wallet.tsx'),
    route(paths.send, 'features/transfers/Send.tsx'),
    route(paths.deposit, 'features/payments/Deposit.tsx'),
    route(paths.withdraw, 'features/payments/Withdraw.tsx'),
    route(paths.profile, 'features/identity/Profile.tsx'),
    // The settings of the account, and in their midst those of paying.
    route(paths.settings, 'features/identity/Settings.tsx', [index('features/payments/PaymentMethods.tsx')]),
  ]),
] satisfies RouteConfig
