// Listens on the address given as argument, and prints the address of each client.
import http from 'node:http'

const [, , host] = process.argv
const server = http.createServer(({ socket }, response) => {
  console.log(socket.remoteAddress)
  response.end('ok')
})
server.listen(0, host, () => console.log(`listening on http://${host}:${server.address().port}`))
