/** Names that change how programs load code, find files or reach the network. */
const reserved = [
  /^(NODE|LD|DYLD|PLAYWRIGHT|PW|PWTEST|PWDEBUG|SSL|OPENSSL|TIDEMARK|XDG|FONTCONFIG|CHROME|CHROMIUM|UV|NPM|GCONV|GLIBC|MALLOC|VK|GIO|GTK|DBUS)(_|$)/,
  /^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|TMPDIR|TMP|TEMP|LOCPATH|NLSPATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|DISPLAY)$/,
  /^DEBUG/,
  /_PROXY$/,
]

/** Whether an environment variable must not be set to values from others. */
export const isReservedVariable = (name: string) => reserved.some((pattern) => pattern.test(name.toUpperCase()))
