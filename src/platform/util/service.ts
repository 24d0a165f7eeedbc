/** A service over its ports: what it reads, writes and calls. */
export class Service<Ports> {
  protected readonly ports: Ports;

  constructor(ports: Ports) {
    this.ports = ports;
  }
}
